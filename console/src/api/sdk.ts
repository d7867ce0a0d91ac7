// The console imports the SDK's source, as the command line does, but only the parts that it needs, so that its pages stay small.
export { Core } from "../../../packages/sdk/src/core/core.ts";
export { BountyApiError, BountyConnectionError, BountyTimeoutError } from "../../../packages/sdk/src/core/errors.ts";
export { Methods } from "../../../packages/sdk/src/generated/methods.ts";
export { NAMES } from "../../../packages/sdk/src/generated/texts.ts";
export type { Fetch, FollowOptions, ListTaskSubmissionsQuery, NextAction, Paged, Schemas } from "../../../packages/sdk/src/index.ts";
export { encodeFiles } from "../../../packages/sdk/src/submit/files.ts";
