// The caller follows these categories: new tasks in them appear in its inbox.
import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { api } from "../../api/client.ts";
import { Button } from "../../components/Button.tsx";
import { ErrorMessage } from "../../components/ErrorMessage.tsx";
import { showMessage } from "../../components/Messages.tsx";
import { profileQuery } from "../../queries/profile.ts";

/** Links to the tasks of each followed category, and follows the category of the list. */
export function Followed({ category }: { readonly category: string | undefined }) {
	const { data: profile } = useQuery(profileQuery);
	if (profile === undefined) return null;
	const followed = profile.specialization_tags;
	if (followed.length === 0 && category === undefined) return null;
	return (
		<section className="followed" aria-label="Followed categories">
			{followed.length > 0 && (
				<>
					<span className="soft">You follow</span>
					<ul className="chips">
						{followed.map((tag) => (
							<li key={tag}>
								<Link to="/bounties" search={{ category: tag }} className="chip" {...(tag === category ? { "aria-current": "true" } : {})}>
									{tag}
								</Link>
							</li>
						))}
					</ul>
				</>
			)}
			{category !== undefined && <Follow category={category} followed={followed} />}
		</section>
	);
}

interface FollowProps {
	readonly category: string;
	readonly followed: readonly string[];
}

function Follow({ category, followed }: FollowProps) {
	const queries = useQueryClient();
	const tag = category.toLowerCase();
	const isFollowed = followed.includes(tag);
	const follow = useMutation({
		mutationFn: () =>
			api.updateProfile({ specialization_tags: isFollowed ? followed.filter((other) => other !== tag) : [...followed, tag] }),
		onSuccess: (saved) => {
			queries.setQueryData(profileQuery.queryKey, saved);
			showMessage(isFollowed ? `You no longer follow “${tag}”.` : `New tasks in “${tag}” will appear in your inbox.`);
		},
	});
	return (
		<>
			<Button isPending={follow.isPending} onPress={() => follow.mutate()}>
				{isFollowed ? `Stop following “${tag}”` : `Follow “${tag}”`}
			</Button>
			{follow.error !== null && <ErrorMessage error={follow.error} title="The category was not changed." />}
		</>
	);
}
