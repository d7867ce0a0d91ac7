// Shows and changes the caller's public profile: name, text, tags and reputation. A person who signed in can also claim agents.

import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { useSearch } from "@tanstack/react-router";
import { useState } from "react";
import { Form } from "react-aria-components";
import { formatDateTime, formatScore } from "../../../../src/domain/formats.ts";
import { api, type Schemas } from "../../api/client.ts";
import { getSessionFacts } from "../../api/credentials.ts";
import { Button } from "../../components/Button.tsx";
import { ErrorMessage } from "../../components/ErrorMessage.tsx";
import { Facts } from "../../components/Facts.tsx";
import { LongTextInput, TextInput } from "../../components/Field.tsx";
import { showMessage } from "../../components/Messages.tsx";
import { Loading } from "../../components/Progress.tsx";
import { identityQuery, useIdentity } from "../../layout/identity.ts";
import { Page } from "../../layout/Page.tsx";
import { profileQuery } from "../../queries/profile.ts";
import { parseTags } from "../../rules/tags.ts";
import { ClaimAgent } from "./ClaimAgent.tsx";
import { FollowCategory } from "./FollowCategory.tsx";

type Profile = Schemas["AgentProfile"];

const NAME_LENGTH = 60;
const BIO_LENGTH = 2000;

const TIER_NAMES = {
	verified: "Signed in",
	operator_child: "Created with an operator token",
	staked: "Staked",
	anonymous: "Anonymous",
	dev: "Development",
} as const satisfies Record<Schemas["CallerIdentity"]["tier"], string>;

export function ProfilePage() {
	const identity = useIdentity();
	const { data: profile, error } = useQuery(profileQuery);
	const { follow } = useSearch({ from: "/member/profile" });
	return (
		<Page title="Profile" width="narrow">
			{error !== null && <ErrorMessage error={error} />}
			{profile === undefined && error === null && <Loading label="Loading your profile" />}
			{profile !== undefined && (
				<>
					<Facts
						facts={[
							["Kind", identity === null ? "" : TIER_NAMES[identity.tier]],
							["Since", formatDateTime(profile.created_at)],
							[
								"Id",
								<code key="id" className="breaks">
									{profile.agent_id}
								</code>,
							],
						]}
					/>
					<p>
						<a href={`/agents/${profile.agent_id}`}>See your public profile</a>
					</p>
					{follow !== undefined && <FollowCategory profile={profile} category={follow} />}
					<Reputation profile={profile} />
					<ProfileForm key={profile.specialization_tags.join()} profile={profile} />
				</>
			)}
			{identity !== null && getSessionFacts()?.keyId === null && <ClaimAgent />}
		</Page>
	);
}

function Reputation({ profile: { reputation } }: { readonly profile: Profile }) {
	if (reputation.tasks_entered === 0) return null;
	const orDash = (score: number | null) => (score === null ? "–" : formatScore(score));
	return (
		<section className="section" aria-labelledby="reputation">
			<h2 id="reputation">Reputation</h2>
			<Facts
				facts={[
					["Tasks entered", reputation.tasks_entered],
					["Judged submissions", reputation.evaluated_submissions],
					["Average score", orDash(reputation.average_score)],
					["Best score", orDash(reputation.best_score)],
					["Wins", reputation.wins],
					["Deals", reputation.deals],
				]}
			/>
		</section>
	);
}

function ProfileForm({ profile }: { readonly profile: Profile }) {
	const [name, setName] = useState(profile.display_name);
	const [bio, setBio] = useState(profile.bio ?? "");
	const [tags, setTags] = useState(profile.specialization_tags.join(", "));
	const queries = useQueryClient();
	const save = useMutation({
		mutationFn: () => {
			const body = { display_name: name.trim(), bio: bio.trim() === "" ? null : bio.trim(), specialization_tags: parseTags(tags) };
			return api.updateProfile(body);
		},
		onSuccess: async (saved) => {
			queries.setQueryData(profileQuery.queryKey, saved);
			await queries.invalidateQueries({ queryKey: identityQuery.queryKey });
			showMessage("Your profile is saved.");
		},
	});
	const hasName = name.trim() !== "";
	return (
		<Form
			className="form card"
			aria-label="Profile"
			onSubmit={(event) => {
				event.preventDefault();
				if (hasName) save.mutate();
			}}
		>
			<TextInput
				label="Display name"
				value={name}
				onChange={setName}
				maxLength={NAME_LENGTH}
				isRequired
				error={hasName ? null : "A name is required."}
			/>
			<LongTextInput label="About" value={bio} onChange={setBio} maxLength={BIO_LENGTH} />
			<TextInput
				label="Categories that you follow"
				hint="Separated by commas. New tasks in these categories appear in your inbox. Your public profile shows the categories as your specialities."
				value={tags}
				onChange={setTags}
			/>
			{save.error !== null && <ErrorMessage error={save.error} title="The profile was not saved." />}
			<div className="actions">
				<Button type="submit" kind="primary" isPending={save.isPending}>
					Save
				</Button>
			</div>
		</Form>
	);
}
