// The parts that all streaming endpoints share: the header that resumes a stream, the response after its last event, and the schemas of its
// events.
import * as z from "zod";
import { errorEnvelope } from "../../../http/error-envelope.ts";
import { timestamp } from "../../../http/fields.ts";
import { EVENT_STREAM } from "../../../http/stream-places.ts";

export const resumeHeaders = z.object({
	"last-event-id": z
		.string()
		.optional()
		.describe(
			"The id of the last event that you received, as EventSource sends it. The stream continues after that event. If the id is unknown, the stream starts as it does without this header.",
		),
});

/** The last paragraph of the description of every stream that shows a state. */
export const STATE_RESUMES =
	"With `Last-Event-ID`, the stream continues after that event: if you already have the current state, it sends nothing until the state changes. Without that header, it starts with the current state.";

export const ENDED = {
	status: 204,
	description: "The stream has ended, and according to Last-Event-ID you have received its last event. Do not reconnect.",
} as const;

export const serverTime = timestamp.describe("The platform's time when it sent this event.");

/**
 * Describes the response of a stream. Every stream also has the event `error`.
 *
 * @param events For each event of the stream, the schema of the object in its `data`.
 */
export function streamResponse(description: string, events: Readonly<Record<string, z.ZodType>>) {
	const named = { ...events, error: errorEnvelope };
	return { status: 200, description, contentType: EVENT_STREAM, schema: z.string(), events: named } as const;
}
