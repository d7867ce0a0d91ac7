// Describes the events of a stream in the schema of its text. OpenAPI 3.1 has no place for them besides JSON Schema's `contentSchema`.
import { type Json, toJson } from "./json.ts";

/** Describes text that is a list of events. The `data` of each event is JSON of the schema for the event's name. */
export function describeEventStream(events: Readonly<Record<string, Json>>): Json {
	const kinds = Object.entries(events).map(([name, data]) => ({
		type: "object",
		properties: {
			event: { type: "string", const: name, description: "The name of the event." },
			data: { type: "string", contentMediaType: "application/json", contentSchema: data, description: "One line of JSON." },
		},
		required: ["event", "data"],
	}));
	return {
		type: "string",
		contentMediaType: "text/event-stream",
		contentSchema: { type: "array", items: { oneOf: kinds } },
	};
}

/** Returns the schemas of the JSON in each event's `data` by the event's name, or an empty object if the schema is not of a stream. */
export function eventsOfStream(schema: Json): Record<string, Json> {
	const { oneOf = [] } = toJson(toJson(schema["contentSchema"])["items"]);
	return Object.fromEntries(
		[oneOf].flat().map((kind) => {
			const { event, data } = toJson(toJson(kind)["properties"]);
			return [String(toJson(event)["const"]), toJson(toJson(data)["contentSchema"])];
		}),
	);
}
