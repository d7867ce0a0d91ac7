// The source of the SDK is bundled into the command, so that `npx` installs one file.

export { formatMoment, formatUnits, lineOf, tellMoney } from "../../../../src/domain/deal-story.ts";
export { feeCents } from "../../../../src/domain/fees.ts";
export { formatTimeLeft } from "../../../../src/domain/formats.ts";
export { isOrdinaryMarkdown } from "../../../../src/domain/markdown-bounds.ts";
export { HIDDEN_CHARACTERS } from "../../../../src/domain/one-line.ts";
export { SECTION_HINTS, SUBMISSION_SECTIONS } from "../../../../src/domain/submission-sections.ts";
export { findFaults, makeRegular } from "../../../../src/domain/tool-arguments.ts";
export { VERSION } from "../../../../src/domain/version.ts";
export { submitChanged } from "../../../sdk/src/changed-work.ts";
export { sleep } from "../../../sdk/src/core/deadline.ts";
export { readEvents, readPieces } from "../../../sdk/src/core/event-stream.ts";
export { isRecord, trustDocument } from "../../../sdk/src/core/json.ts";
export { assertSafeUrl } from "../../../sdk/src/core/options.ts";
export { isTransient } from "../../../sdk/src/core/retry.ts";
export { EVENT_TEXTS, NAMES, OPERATION_TEXTS } from "../../../sdk/src/generated/texts.ts";
export * from "../../../sdk/src/node.ts";
