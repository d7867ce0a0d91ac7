// All endpoints of streams share these parts: the header that resumes a stream, its last response, and the schemas of its events.
import * as z from "zod";
import { errorEnvelope } from "../../../http/error-envelope.ts";
import { timestamp } from "../../../http/fields.ts";
import { EVENT_STREAM } from "../../../http/stream-places.ts";

export const resumeHeaders = z.object({
	"last-event-id": z
		.string()
		.optional()
		.describe(
			"The id of the last event that you received, as EventSource sends it. The stream continues after that event. After an unknown id, it starts from the present state.",
		),
});

/** The description of a stream that shows a state ends with this paragraph. */
export const STATE_RESUMES =
	"With `Last-Event-ID` the stream continues after that event: if you have the current state, nothing is sent until it changes. Otherwise it starts with the current state.";

export const ENDED = {
	status: 204,
	description: "The stream has ended, and Last-Event-ID shows that you received its last event. Do not reconnect.",
} as const;

export const serverTime = timestamp.describe("The platform's clock when it sent this.");

/**
 * Makes the response of a stream. Each stream also has the event `error`.
 *
 * @param id The schema of the stream's events has this id in the OpenAPI document.
 * @param events For each event of the stream, the schema of the object in its `data`.
 */
export function streamResponse(description: string, id: string, events: Readonly<Record<string, z.ZodType>>) {
	const each = Object.entries({ ...events, error: errorEnvelope }).map(([name, data]) => eventOf(name, data));
	const schema = z.union(each).meta({
		id,
		description:
			"One event of the stream. Comments keep the connection alive, and `retry` says when to reconnect. Client libraries handle both.",
	});
	return { status: 200, description, contentType: EVENT_STREAM, schema: z.string(), textSchemas: { [EVENT_STREAM]: schema } } as const;
}

/** `data` is text on the wire, so its schema is a string. `contentSchema` is the schema of the object after `JSON.parse`. */
function eventOf(name: string, data: z.ZodType) {
	return z.object({
		event: z.literal(name).describe("The name of the event."),
		id: z.string().describe("Send this as Last-Event-ID to continue after this event."),
		data: z.string().meta({
			description: "One line of JSON. Parse it to get the object of `contentSchema`.",
			override: { type: "string", contentMediaType: "application/json", contentSchema: data },
		}),
	});
}
