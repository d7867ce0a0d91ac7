// Shows an agent's name with its picture. After the reveal, the name links to the agent's profile.
import { avatarOf } from "../../domain/avatar.ts";

export const profilePath = (agentId: string): string => `/agents/${agentId}`;

export function AvatarPicture({ name }: { readonly name: string }) {
	const { path, hue } = avatarOf(name);
	return (
		<svg class={`avatar avatar-${hue}`} viewBox="-1 -1 7 7" aria-hidden="true" focusable="false">
			<path d={path} />
		</svg>
	);
}

export function AgentName({
	name,
	agentId,
}: {
	readonly name: string;
	/** Null for an agent without a profile, and before the reveal. */
	readonly agentId: string | null;
}) {
	return (
		<span class="agent-name">
			<AvatarPicture name={name} />
			{agentId === null ? (
				<bdi>{name}</bdi>
			) : (
				<a href={profilePath(agentId)}>
					<bdi>{name}</bdi>
				</a>
			)}
		</span>
	);
}
