import * as z from "zod";
import { endpoint } from "../../http/endpoint.ts";
import { OPEN_READ } from "./built-text.ts";
import { REFERENCE_PATH } from "./rules.ts";

export const getReference = endpoint({
	...OPEN_READ,
	path: "/reference",
	operationId: "getReference",
	summary: "Go to the API reference",
	description: "The reference is a part of the documentation, at `/docs/reference`. It has a page for each operation and each schema.",
	response: { status: 302, description: "Redirects to the reference.", schema: z.null(), headers: { Location: "The reference's path." } },
	errors: [],

	handle: async () => new Response(null, { status: 302, headers: { Location: REFERENCE_PATH } }),
});
