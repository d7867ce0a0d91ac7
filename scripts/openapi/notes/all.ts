// The notes on operations that have no file of their own yet.
import { endpoints } from "../../../src/compose/endpoints.ts";
import type { EndpointContract } from "../../../src/http/endpoint.ts";
import { type OperationNotes, withNotes } from "./operation-notes.ts";

export const ALL_NOTES: readonly OperationNotes[] = [];

const notesById = new Map(ALL_NOTES.map((notes) => [notes.operationId, notes]));

/** Every endpoint with its examples, wherever they are. */
export const describedEndpoints: readonly EndpointContract[] = endpoints.map((endpoint) =>
	withNotes(endpoint, notesById.get(endpoint.operationId)),
);
