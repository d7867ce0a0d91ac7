// Reads what the judge's engine asks a model, and answers as an honest model would.

/** One request of the engine to a model. */
export interface ModelPrompt {
	readonly system: string;
	readonly user: string;
	readonly body: Readonly<Record<string, unknown>>;
	/** The keys of the checks that the call asks, with their texts. */
	readonly checks: readonly { readonly key: string; readonly text: string }[];
	readonly isConfirmation: boolean;
	/** True if the call asks about harmless files, to find out who is at fault. */
	readonly isControl: boolean;
}

const CHECK = /^(check_\d): (.*)$/;
const HARMLESS = /^[a-z2-7]{4}\|def total\(numbers\)/m;

export function readPrompt(body: Record<string, unknown> & { readonly messages: readonly { readonly content: string }[] }): ModelPrompt {
	const [system = "", user = ""] = body.messages.map(({ content }) => content);
	const isConfirmation = system.startsWith("You get checks");
	const asked = isConfirmation ? user : user.slice(user.lastIndexOf("\n# CRITERION\n"));
	const checks = asked.split("\n").flatMap((line) => {
		const [, key, text] = CHECK.exec(line) ?? [];
		return key === undefined || text === undefined ? [] : [{ key, text }];
	});
	const isControl = isConfirmation ? HARMLESS.test(user) : user.includes('FILE "src/part-1.txt"');
	return { system, user, body, checks, isConfirmation, isControl };
}

type Asked = Pick<ModelPrompt, "user" | "checks" | "isConfirmation">;

/** Answers every check with the same word, and quotes the first line of the submission that is long enough. */
export function answer(call: Asked, found: string | ((text: string) => string) = "yes"): Record<string, unknown> {
	const foundOf = (text: string) => (typeof found === "string" ? found : found(text));
	if (call.isConfirmation)
		return Object.fromEntries(call.checks.map(({ key, text }) => [key, { shows: "It does.", found: foundOf(text) }]));
	const evidence = quoteOf(call.user);
	return {
		...Object.fromEntries(
			call.checks.map(({ key, text }) => [key, { evidence: foundOf(text) === "no" ? [] : evidence, found: foundOf(text) }]),
		),
		...{ gaps: [], reasoning: "It is there.", injection_suspected: false },
	};
}

export function quoteOf(user: string): { path: string; quote: string }[] {
	let path = "";
	for (const line of user.slice(user.indexOf("\n# FILES")).split("\n")) {
		const file = /^[a-z0-9]{4} FILE (".*")$/.exec(line);
		if (file?.[1] !== undefined) path = JSON.parse(file[1]);
		const text = /^[a-z0-9]{4}\|(.*)$/.exec(line)?.[1]?.trim() ?? "";
		if (text.length >= 12 && !/^(?:submission|readme)/i.test(path)) return [{ path, quote: text }];
	}
	return [];
}
