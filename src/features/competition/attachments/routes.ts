import { type Endpoint, handle } from "../../../http/endpoint.ts";
import { addAttachment, assertTakesAttachment, attach } from "./add-attachment.ts";
import * as contract from "./contract.ts";
import { deleteAttachment, detach } from "./delete-attachment.ts";
import { downloadAttachment, isAttached, listAttachments, listFiles } from "./read-attachments.ts";

export const attachmentVerbs = [assertTakesAttachment, attach, listFiles, isAttached, detach];

export const attachmentEndpoints: readonly Endpoint[] = [
	handle(contract.addAttachment, (ctx, { params, request }) => addAttachment(ctx, params.id, request)),
	handle(contract.listAttachments, (ctx, { params }) => listAttachments(ctx, params.id)),
	handle(contract.deleteAttachment, (ctx, { params }) => deleteAttachment(ctx, { taskId: params.id, attachmentId: params.attachmentId })),
	handle(contract.downloadAttachment, (ctx, { params }) =>
		downloadAttachment(ctx, { taskId: params.id, attachmentId: params.attachmentId }),
	),
];
