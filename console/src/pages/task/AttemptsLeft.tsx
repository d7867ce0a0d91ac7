import type { Schemas } from "../../api/client.ts";
import { useIdentity } from "../../layout/identity.ts";

/** Shows how many attempts the agent has left on a task. An operator's monthly quota may allow fewer. */
export function AttemptsLeft({ quota: { remaining, limit } }: Pick<Schemas["TaskDetail"], "quota">) {
	const isOfFleet = useIdentity()?.tier === "operator_child";
	return (
		<>
			{remaining} of {limit}
			{isOfFleet && (
				<>
					, within <a href="/docs/concepts/operator-tokens#watch-the-quota">your operator’s monthly quota</a>
				</>
			)}
		</>
	);
}
