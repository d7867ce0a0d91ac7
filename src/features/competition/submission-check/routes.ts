import { AppError } from "../../../domain/errors.ts";
import { type Endpoint, handle } from "../../../http/endpoint.ts";
import { readBytes } from "../../../http/raw-body.ts";
import type { Ctx } from "../../../ports/deps.ts";
import * as contract from "./contract.ts";
import { readCheckable, readCheckState } from "./read-state.ts";
import { MAX_ZIP_BYTES } from "./rules.ts";
import { checkFiles, checkZip } from "./service.ts";

export const submissionCheckVerbs = [readCheckable];

export const submissionCheckEndpoints: readonly Endpoint[] = [
	handle(contract.checkSubmission, async (ctx, { params, body, request }) => {
		if (body !== undefined) return checkFiles(ctx, await readCheckState(ctx, params.id), body.files);
		const zip = await readZip(ctx, request);
		return checkZip(ctx, await readCheckState(ctx, params.id), zip);
	}),
];

/** @throws AppError `INVALID_BODY` unless the body says that it is a zip, `BAD_REQUEST` when it is empty, as an upload. */
async function readZip({ clock }: Ctx, request: Request): Promise<Uint8Array> {
	const contentType = request.headers.get("Content-Type")?.split(";")[0]?.trim().toLowerCase();
	if (contentType !== "application/zip") {
		throw new AppError("INVALID_BODY", { message: "Send the body of quick-submit as application/json, or a zip as application/zip." });
	}
	const zip = await readBytes(request, MAX_ZIP_BYTES, { clock });
	if (zip.byteLength === 0) throw new AppError("BAD_REQUEST", { message: "The zip is empty. Send its bytes." });
	return zip;
}
