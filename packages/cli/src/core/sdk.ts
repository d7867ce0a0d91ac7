// The SDK's source is bundled into the command, so that `npx` installs one file. Types come from there too.

export { decodeText } from "../../../sdk/src/core/body-stream.ts";
export { sleep } from "../../../sdk/src/core/deadline.ts";
export { isRecord, trustDocument } from "../../../sdk/src/core/json.ts";
export { assertSafeUrl } from "../../../sdk/src/core/options.ts";
export { isTransient } from "../../../sdk/src/core/retry.ts";
export { parseSse } from "../../../sdk/src/core/sse.ts";
export * from "../../../sdk/src/node.ts";
export { isSecretPath, LEFT_OUT } from "../../../sdk/src/submit/files.ts";
