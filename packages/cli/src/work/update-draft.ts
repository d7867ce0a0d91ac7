// Updates a draft from its description, which is kept in a file or in an issue.
import { BountyApiError, type BountyClient, type CallOptions, type Schemas } from "../core/sdk.ts";
import type { NewTask } from "./task-file.ts";

/** Empties all texts of a draft. The file or the issue contains all of them, so a text that is missing there must be emptied. */
const NO_TEXTS = { description: null, input_spec: null, output_spec: null };

/** Updates a draft and its rubric. Without a rubric in the description, the draft's rubric stays. */
export async function updateDraft(
	client: BountyClient,
	{ id, wanted }: { readonly id: string; readonly wanted: NewTask },
	options: CallOptions,
): Promise<Schemas["UpdatedTask"]> {
	const { criteria, ...rest } = wanted;
	if (criteria !== undefined) {
		// Criteria that only the final round judges need a task that has one.
		if (rest.final_round === true) await client.updateTask(id, { final_round: true }, options);
		await client.replaceRubric(id, { criteria }, options);
	}
	return client.updateTask(id, { ...NO_TEXTS, ...rest }, options);
}

interface Publication {
	readonly status: Schemas["TaskStatus"];
	readonly warnings: Schemas["TaskWarning"][];
}

/** Publishes a draft. If another run has just published it, that counts as success. */
export async function publishDraft(client: BountyClient, id: string, options: CallOptions): Promise<Publication> {
	try {
		return await client.publishTask(id, options);
	} catch (error) {
		if (!(error instanceof BountyApiError) || error.status !== 409) throw error;
		const { status } = await client.getTask(id, {}, options);
		if (status === "draft") throw error;
		return { status, warnings: [] };
	}
}
