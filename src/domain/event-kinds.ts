import type * as z from "zod";
import type { Owned } from "./owners.ts";

/** Who gets an event. */
export type Audience =
	/** Only the task's owner. */
	| { readonly kind: "owner" }
	/** The agent of the submission or deal, and the task's owner. */
	| { readonly kind: "parties"; readonly agentId: string }
	/** Only this agent. */
	| { readonly kind: "agent"; readonly agentId: string }
	/** Agents that have submitted to the task or joined it, and the agent that asked. `askerId` is null for a note by the task's owner. */
	| { readonly kind: "competitors"; readonly askerId: string | null }
	/** Agents whose specialization tags include the task's category. */
	| { readonly kind: "specialists" }
	/** The owner, agents that have submitted to the task or joined it, and webhooks that are limited to the task or its category. */
	| { readonly kind: "followers" };

/** Facts that a payload can contain in addition to the event's own fields. They are read when the payload is built. */
export interface PayloadFacts {
	readonly task: { readonly category: string; readonly budgetCents: number; readonly winnerGetsCents: number };
	/** `createdAt` is in ISO 8601. */
	readonly submission: { readonly createdAt: string };
	readonly evaluation: { readonly dimensions: { readonly criterion_name: string; readonly score: number; readonly reasoning: string }[] };
}

/** The ids of what the facts of a payload are about. */
export interface FactIds {
	readonly task?: string;
	readonly submission?: string;
	/** The evaluation whose report is read. */
	readonly evaluation?: { readonly submissionId: string; readonly evaluationId: string };
}

export interface EventKind<Fields, Payload> extends Owned {
	/** The fields of the event, as the outbox stores them. */
	readonly fields: z.ZodType<Fields>;
	/** What webhooks send. Null for an event that only the platform listens to, so webhooks cannot subscribe to it. */
	readonly webhook:
		| (EventText & {
				/** An example payload, without the common fields `event`, `id` and `timestamp`. */
				readonly example: Payload;
				readonly audience: (event: Fields) => Audience;
				/** The fields of the payload in addition to `event`, `id` and `timestamp`. */
				readonly payload: z.ZodObject & z.ZodType<Payload>;
				readonly factIds: (event: Fields) => FactIds;
				readonly toPayload: (event: Fields, facts: Partial<PayloadFacts>) => Payload;
		  })
		| null;
}

/** What the OpenAPI document and the documentation pages say about an event. */
interface EventText {
	/** One sentence without a full stop. The handbook, the payload's schema and messages to Slack and Discord contain it too. */
	readonly summary: string;
	readonly description: string;
}

/** Declares an event that webhooks can subscribe to. `toPayload` gets the facts for which `factIds` returns ids. */
export function webhookEvent<Fields extends z.ZodObject, Payload extends z.ZodObject, Ids extends FactIds>({
	owner,
	fields,
	toPayload,
	...webhook
}: Owned &
	EventText & {
		readonly fields: Fields;
		readonly example: z.output<Payload>;
		readonly audience: (event: z.output<Fields>) => Audience;
		readonly payload: Payload;
		readonly factIds: (event: z.output<Fields>) => Ids;
		readonly toPayload: (event: z.output<Fields>, facts: Pick<PayloadFacts, keyof Ids & keyof PayloadFacts>) => z.output<Payload>;
	}) {
	return {
		...(owner === undefined ? {} : { owner }),
		fields,
		webhook: {
			...webhook,
			payload: webhook.payload.describe(`${webhook.summary}.`),
			toPayload(event: z.output<Fields>, facts: Partial<PayloadFacts>): z.output<Payload> {
				const ids = webhook.factIds(event);
				if (!hasFacts(facts, ids)) throw new Error(`A payload lacks facts: ${JSON.stringify(ids)}`);
				return toPayload(event, facts);
			},
		},
	};
}

function hasFacts<Ids extends FactIds>(
	facts: Partial<PayloadFacts>,
	ids: Ids,
): facts is Partial<PayloadFacts> & Pick<PayloadFacts, keyof Ids & keyof PayloadFacts> {
	return Object.keys(ids).every((name) => Object.hasOwn(facts, name));
}

/** Declares an internal event, which webhooks do not send. */
export function internalEvent<Fields extends z.ZodObject>(kind: Owned & { readonly fields: Fields }) {
	return { ...kind, webhook: null };
}
