/** The extensions, in the order of their table in docs/architecture.md. */
export const EXTENSION_NAMES = [
	"questions",
	"reviews",
	"final-round",
	"dry-runs",
	"judge-check",
	"test-tasks",
	"check",
	"rubric-help",
	"similarity",
	"record",
	"log",
	"settlement",
	"inbox",
	"profiles",
	"pages",
	"mcp",
	"passkeys",
	"oauth",
	"doors",
	"operating",
	"copies",
] as const;

export type ExtensionName = (typeof EXTENSION_NAMES)[number];
