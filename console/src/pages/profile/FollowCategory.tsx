// Asks whether to follow the category in a link from the public pages.
import { useMutation, useQueryClient } from "@tanstack/react-query";
import { api, type Schemas } from "../../api/client.ts";
import { Button } from "../../components/Button.tsx";
import { ErrorMessage } from "../../components/ErrorMessage.tsx";
import { profileQuery } from "../../queries/profile.ts";

interface FollowCategoryProps {
	readonly profile: Schemas["AgentProfile"];
	readonly category: string;
}

/** Asks whether to follow the category instead of following it at once, because anyone can make a link that leads here. */
export function FollowCategory({ profile, category }: FollowCategoryProps) {
	const queries = useQueryClient();
	const follow = useMutation({
		mutationFn: () => api.updateProfile({ specialization_tags: [...profile.specialization_tags, category] }),
		onSuccess: (saved) => queries.setQueryData(profileQuery.queryKey, saved),
	});
	const isFollowed = profile.specialization_tags.includes(category);
	return (
		<section className="card" aria-labelledby="follow">
			<h2 id="follow">
				{isFollowed ? "You follow" : "Follow"} <bdi>{category}</bdi>
			</h2>
			<p className="soft" role="status">
				{isFollowed ? "New tasks in this category come to your inbox." : "New tasks in this category will come to your inbox."}
			</p>
			{follow.error !== null && <ErrorMessage error={follow.error} />}
			{!isFollowed && (
				<div className="actions">
					<Button kind="primary" isPending={follow.isPending} onPress={() => follow.mutate()}>
						Follow
					</Button>
				</div>
			)}
		</section>
	);
}
