// Takes extensions out of the lists of a platform while a test runs. Their fields and tables stay, because the build chooses those.
import { env } from "cloudflare:workers";
import { onTestFinished } from "vitest";
import { ADDED_SWEEPS, DIRECTORY_LISTENERS, ERROR_FORMS, EXTENSIONS, TASK_PARTS } from "#platform";
import type { ExtensionName } from "../../src/domain/extension-names.ts";
import type { EndpointContract } from "../../src/http/endpoint.ts";
import { buildApp, endpoints } from "./app.ts";
import { type TestDeps, testDeps } from "./deps.ts";

declare global {
	interface ImportMeta {
		/** Vite replaces a call of this function with the modules of the matching files. */
		glob(pattern: string, options: { readonly eager: true }): Readonly<Record<string, Readonly<Record<string, unknown>>>>;
	}
}

const modules = import.meta.glob("../../src/extensions/*/**/*.ts", { eager: true });

/** Maps each function or object that a module of an extension exports to the extension. */
const ownerOf = new Map<unknown, string>(
	Object.entries(modules).flatMap(([path, exported]) => {
		const owner = /\/extensions\/([^/]+)\//.exec(path)?.[1] ?? "";
		return Object.values(exported)
			.filter((value) => value !== null && ["function", "object"].includes(typeof value))
			.map((value) => [value, owner] as const);
	}),
);

/** Returns the extension that exports an entry of a list or the entry's function. Null for an entry of the core. */
function ownerOfPart(part: unknown): string | null {
	const members = typeof part === "object" && part !== null ? Object.values(part) : [];
	return ownerOf.get(part) ?? members.map((member) => ownerOf.get(member)).find((owner) => owner !== undefined) ?? null;
}

/** Returns the extension, and all extensions that require it directly or through others. */
export function withAllThatRequire(name: ExtensionName): ReadonlySet<string> {
	const absent = new Set<string>([name]);
	for (let size = 0; size < absent.size; ) {
		size = absent.size;
		for (const { name: other, requires = [] } of EXTENSIONS) if (requires.some((each) => absent.has(each))) absent.add(other);
	}
	return absent;
}

/** The lists to which extensions add parts, other than endpoints. */
function listsOfParts(): Readonly<Record<string, readonly unknown[]>> {
	const { joints, listeners, duties, holdings } = TASK_PARTS;
	return {
		jobs: joints.jobs,
		inspections: joints.inspections,
		published: joints.steps.published,
		ended: joints.steps.ended,
		listeners,
		duties,
		holdings,
		errorForms: ERROR_FORMS,
		directoryListeners: DIRECTORY_LISTENERS,
	};
}

/** Replaces the content of a list. The type is read-only, because nothing else changes these lists. */
function fill(list: readonly unknown[], parts: readonly unknown[]): void {
	Array.prototype.splice.call(list, 0, list.length, ...parts);
}

/**
 * Takes extensions out of all lists of this process until the test ends.
 *
 * @returns The platform without them, the operations that it lacks, and from which lists something was taken.
 */
export function platformWithout(absent: ReadonlySet<string>) {
	const isLeft = (part: unknown) => !absent.has(ownerOfPart(part) ?? "");
	const shortened: string[] = [];
	for (const [name, list] of Object.entries(listsOfParts())) {
		const all = [...list];
		fill(list, all.filter(isLeft));
		if (list.length < all.length) shortened.push(name);
		onTestFinished(() => fill(list, all));
	}
	const sweeps = { ...ADDED_SWEEPS };
	for (const [name, parts] of Object.entries(sweeps)) {
		const left = Object.fromEntries(Object.entries(parts).filter(([, part]) => isLeft(part)));
		Object.assign(ADDED_SWEEPS, { [name]: left });
		if (Object.keys(left).length < Object.keys(parts).length) shortened.push(`sweep ${name}`);
	}
	onTestFinished(() => void Object.assign(ADDED_SWEEPS, sweeps));
	const isAbsent = ({ owner }: EndpointContract) => owner !== undefined && absent.has(owner);
	const present = endpoints.filter((endpoint) => !isAbsent(endpoint));
	return { fetch: serve(present, isLeft), lacks: endpoints.filter(isAbsent), shortened };
}

/** Returns a platform that has these endpoints, and the listeners that are left. */
function serve(present: typeof endpoints, isLeft: (part: unknown) => boolean) {
	const opened = new Set<TestDeps>();
	const app = buildApp(() => {
		const deps = testDeps();
		const own = { ...deps, listeners: deps.listeners.filter(isLeft) };
		opened.add(own);
		return own;
	}, present);
	return async (request: Request): Promise<Response> => {
		const response = await app.fetch(request, env);
		for (const deps of opened) await deps.settled();
		opened.clear();
		return response;
	};
}
