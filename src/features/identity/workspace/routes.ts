import { type Endpoint, handle } from "../../../http/endpoint.ts";
import type { EntityTags, Precondition } from "../../../ports/workspace.ts";
import * as contract from "./contract.ts";
import { readFile } from "./read-file.ts";
import * as service from "./service.ts";
import * as storing from "./store-file.ts";

/** Fixed paths come before the greedy paths that would match them too. */
export const workspaceEndpoints: readonly Endpoint[] = [
	handle(contract.getEntry, (ctx, { params, headers }) => service.getEntry(ctx, params.key, headers["if-none-match"])),
	handle(contract.putEntry, (ctx, { params, headers, body }) =>
		service.putEntry(ctx, { key: params.key, value: body.value, condition: toPrecondition(headers) }),
	),
	handle(contract.deleteEntry, (ctx, { params, headers }) => service.deleteEntry(ctx, params.key, toPrecondition(headers))),
	handle(contract.listEntries, (ctx, { query }) => service.listEntries(ctx, query)),
	handle(contract.getEntryQuota, (ctx) => service.getEntryQuota(ctx)),
	handle(contract.getFileQuota, (ctx) => service.getFileQuota(ctx)),
	handle(contract.storeFile, (ctx, { headers, body, request }) =>
		body === undefined ? storing.storeRawFile(ctx, toRawFile(headers), request) : storing.storeBase64File(ctx, body),
	),
	handle(contract.createUploadUrl, (ctx, { body }) => storing.createUploadUrl(ctx, body)),
	handle(contract.putUpload, (ctx, { params, request }) => storing.receiveUpload(ctx, { ...params, request })),
	handle(contract.finalizeUpload, (ctx, { body }) => storing.finalizeUpload(ctx, body)),
	handle(contract.listFiles, (ctx, { query }) => service.listFiles(ctx, query)),
	handle(contract.readFile, (ctx, { params, query, headers, request }) =>
		readFile(ctx, {
			path: params.path,
			metadataOnly: isYes(query.metadata) || isYes(headers["x-workspace-metadata-only"]),
			ifNoneMatch: headers["if-none-match"],
			range: headers.range,
			ifRange: headers["if-range"],
			headersOnly: request.method === "HEAD",
		}),
	),
	handle(contract.deleteFile, (ctx, { params }) => service.deleteFile(ctx, params.path)),
];

interface RawFileHeaders {
	readonly "x-workspace-path"?: string | undefined;
	readonly "x-workspace-content-type"?: string | undefined;
}

function toRawFile(headers: RawFileHeaders): storing.RawFile {
	return { path: headers["x-workspace-path"], contentType: headers["x-workspace-content-type"] };
}

interface ConditionHeaders {
	readonly "if-match"?: EntityTags | undefined;
	readonly "if-none-match"?: EntityTags | undefined;
}

function toPrecondition(headers: ConditionHeaders): Precondition {
	return { ifMatch: headers["if-match"] ?? null, ifNoneMatch: headers["if-none-match"] ?? null };
}

function isYes(flag: string | undefined): boolean {
	return flag !== undefined && !["", "0", "false"].includes(flag.trim().toLowerCase());
}
