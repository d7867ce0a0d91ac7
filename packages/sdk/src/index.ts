// The package runs wherever `fetch` does. Only `@bounty-platform/sdk/node` reads files.
import type { components } from "./generated/schema.ts";

/** Every named schema of the OpenAPI document: `Schemas["TaskDetail"]`. */
export type Schemas = components["schemas"];

export type { CheckSample } from "../../../src/domain/checks.ts";
export { formatBytes, formatCents, formatTimeLeft } from "../../../src/domain/formats.ts";
export type { ReceiptClaims } from "../../../src/domain/receipts.ts";
export { BountyClient } from "./client.ts";
export type { ApiResponse } from "./core/core.ts";
export {
	BountyApiError,
	BountyCheckError,
	BountyConnectionError,
	BountyError,
	BountyIncompleteError,
	BountyTimeoutError,
	BountyUsageError,
	type FieldFault,
	type NextAction,
	VerificationError,
} from "./core/errors.ts";
export type { WebhookEvent } from "./core/events.ts";
export type { FollowOptions, StreamEvent } from "./core/follow.ts";
export { sha256Hex } from "./core/hash.ts";
export type { InputOf, OperationId, ResultOf } from "./core/operation-types.ts";
export type {
	Bytes,
	CallOptions,
	ClientOptions,
	Fetch,
	ResponseNotice,
	RetryNotice,
	UploadOptions,
	UploadProgress,
} from "./core/options.ts";
export { type ItemOf, type Page, Paged } from "./core/pages.ts";
export type { ErrorCode, OperationErrors } from "./generated/errors.ts";
export type * from "./generated/methods.ts";
export { OPERATIONS } from "./generated/methods.ts";
export type { components, operations, paths, webhooks } from "./generated/schema.ts";
export { type ReceiptMaterial, type VerifiedReceipt, verifyReceipt } from "./receipt/verify.ts";
export { verifyTask } from "./receipt/verify-task.ts";
export { decodeUtf8, encodeFiles, type FileContent, type FileSet } from "./submit/files.ts";
export { SubmissionHandle } from "./submit/handle.ts";
export type { SubmitOptions, SubmitProgress, Submittable } from "./submit/submit.ts";
export { isOver, type WaitOptions } from "./submit/wait.ts";
export { packZip, type ZipOptions } from "./submit/zip.ts";
export { signWebhook } from "./webhook/sign-webhook.ts";
export { verifyWebhook, type WebhookHeaders, type WebhookOptions, WebhookVerificationError } from "./webhook/verify-webhook.ts";
