import { AppError } from "../../domain/errors.ts";
import { type Endpoint, handleLargeBody } from "../../http/endpoint.ts";
import { useHeldBody } from "../../http/held-body.ts";
import type { Ctx } from "../../ports/deps.ts";
import { QUICK_SUBMIT_BODY_LIMIT_BYTES } from "../submissions/schemas.ts";
import * as contract from "./contract.ts";
import { admitCheck, checkFiles, checkZip } from "./service.ts";

export const submissionCheckEndpoints: readonly Endpoint[] = [
	handleLargeBody(contract.checkSubmission, {
		admit: (ctx, { params }) => admitCheck(ctx, params.id),
		handler: (ctx, { params, body, request }) =>
			body === undefined ? checkZipOf(ctx, params.id, request) : checkFiles(ctx, params.id, body.files),
	}),
];

/** @throws AppError `INVALID_BODY` unless the body says that it is a zip, `BAD_REQUEST` when it is empty, as an upload. */
function checkZipOf(ctx: Ctx, taskId: string, request: Request) {
	const contentType = request.headers.get("Content-Type")?.split(";")[0]?.trim().toLowerCase();
	if (contentType !== "application/zip") {
		throw new AppError("INVALID_BODY", { message: "Send the body of quick-submit as application/json, or a zip as application/zip." });
	}
	const rules = { clock: ctx.clock, maxBytes: QUICK_SUBMIT_BODY_LIMIT_BYTES, admitLarge: () => admitCheck(ctx, taskId) };
	return useHeldBody(request, rules, (zip) => {
		if (zip.byteLength === 0) throw new AppError("BAD_REQUEST", { message: "The zip is empty. Send its bytes." });
		return checkZip(ctx, taskId, zip);
	});
}
