import { type Endpoint, handle } from "../../http/endpoint.ts";
import * as contract from "../competition/attachments/contract.ts";
import * as service from "./service.ts";

export const attachmentEndpoints: readonly Endpoint[] = [
	handle(contract.addAttachment, (ctx, { params, request }) => service.addAttachment(ctx, params.id, request)),
	handle(contract.listAttachments, (ctx, { params }) => service.listAttachments(ctx, params.id)),
	handle(contract.deleteAttachment, (ctx, { params }) =>
		service.deleteAttachment(ctx, { taskId: params.id, attachmentId: params.attachmentId }),
	),
	handle(contract.downloadAttachment, (ctx, { params }) =>
		service.downloadAttachment(ctx, { taskId: params.id, attachmentId: params.attachmentId }),
	),
];
