import { describe, expect, it } from "vitest";
import { describeFacts, findFacts } from "../../src/core/judging/artifacts/facts.ts";
import { findMissingSections } from "../../src/core/judging/artifacts/rules.ts";
import { SUBMISSION_SECTIONS } from "../../src/domain/submission-sections.ts";

type Tree = Readonly<Record<string, string>> | ReadonlyMap<string, string>;

/** Returns the facts of a tree whose files were all read. */
function factsOf(tree: Tree) {
	const entries = [...(tree instanceof Map ? tree : Object.entries(tree))];
	return findFacts({
		files: entries.map(([path, text]) => ({ path, text, isClaim: false })),
		unreadPaths: [],
		manifest: entries.map(([path, text]) => ({ path, bytes: text.length })),
	});
}

const faultsOf = (path: string, text: string) => factsOf({ [path]: text }).faults;

describe("languages", () => {
	it("are counted by bytes, most first, also over files that were not read", () => {
		const { languages } = findFacts({
			files: [],
			unreadPaths: [],
			manifest: [
				{ path: "a.ts", bytes: 10 },
				{ path: "src/b.tsx", bytes: 20 },
				{ path: "lib/MAIN.PY", bytes: 100 },
				{ path: "x.rs", bytes: 30 },
				{ path: "README.md", bytes: 9_999 },
				{ path: "Makefile", bytes: 9_999 },
			],
		});
		expect(languages).toEqual([
			{ language: "Python", files: 1, bytes: 100 },
			{ language: "Rust", files: 1, bytes: 30 },
			{ language: "TypeScript", files: 2, bytes: 30 },
		]);
	});

	it("do not include names that every object has", () => {
		const names = ["constructor", "__proto__", "toString", "a.constructor", "b.__proto__", "src/hasOwnProperty", "valueOf.toString"];
		expect(factsOf(new Map(names.map((name) => [name, "x"])))).toEqual({ languages: [], manifests: [], files_checked: 0, faults: [] });
	});
});

describe("manifests", () => {
	it("that parse are named with their purpose", () => {
		const tree = {
			"package.json": '{"name":"a"}',
			"api/pyproject.toml": '[project]\nname = "a"\n',
			"Cargo.toml": "[package]\nname = 'a'\n",
			"go.mod": "// comment\nmodule example.com/a\n\ngo 1.25\n",
			Makefile: ".PHONY: all\nall: a.o\n\tcc -o a a.o\n",
			"docker/Dockerfile": "# syntax=docker/dockerfile:1\nARG V=1\nfrom node:24\n",
		};
		expect(factsOf(tree).manifests).toEqual([
			"package.json (npm)",
			"api/pyproject.toml (Python)",
			"Cargo.toml (Cargo)",
			"go.mod (Go module)",
			"Makefile (make)",
			"docker/Dockerfile (Docker)",
		]);
		expect(factsOf(tree).faults).toEqual([]);
	});

	it.each([
		["package.json", "{ name: 'a' }"],
		["package.json", '{"name":"a",}'],
		["package.json", ""],
		["pyproject.toml", "[project\nname = a"],
		["Cargo.toml", "name = 'a'\nname = 'b'\n"],
		["go.mod", "package main\n"],
		["Makefile", "A := 1\nB = 2\n# all: nothing\n"],
		["Dockerfile", "RUN make\n# FROM nothing\n"],
	])("%s with %j does not parse", (path, text) => {
		const { manifests, faults, files_checked } = factsOf({ [path]: text });
		expect({ manifests, files_checked }).toEqual({ manifests: [], files_checked: 1 });
		expect(faults).toEqual([expect.stringMatching(new RegExp(`^${path}: .+`))]);
	});
});

describe("sources", () => {
	it.each([
		["a.js", "const view = <div className='x'>{a ?? b}</div>;\n", true],
		["a.jsx", "export default () => <><A {...p} /></>;\n", true],
		["a.mjs", "#!/usr/bin/env node\nimport x from './x.js' with { type: 'json' };\nawait x;\n", true],
		["a.cjs", "const x = require('x');\nreturn x;\n", true],
		["a.cjs", "import x from 'x';\n", false],
		[
			"a.ts",
			"export interface A<T extends object = {}> { readonly a?: T }\nconst b = <A<{}>>{};\nlet c = b!.a as unknown satisfies unknown;\n",
			true,
		],
		[
			"a.ts",
			"enum E { A = 1 }\nnamespace N { export const x = 1 }\nabstract class C { constructor(private readonly x: number) {} }\n",
			true,
		],
		["a.ts", "declare module 'x' { export function f(a: string): asserts a is 'b'; }\nimport type { T } from './t.ts';\n", true],
		["a.mts", "export type F = typeof import('./x.ts');\nusing_: for (;;) break using_;\n", true],
		["a.cts", "export = { a: 1 };\n", true],
		["a.tsx", "export const A = <T,>({ a }: { a: T }) => <B<T> a={a} />;\n", true],
		["a.tsx", "const a = <b>{c</b>;\n", false],
		["a.tsx", "const a = <b c='d>{e}</b>;\n", false],
		["a.ts", "const a = [5;\n", false],
		["a.ts", "function f() {\n\tif (a) {\n}\n", false],
		["a.ts", "const a = 5);\n", false],
		["a.mts", "const a = `b$" + "{c`;\n", false],
		["a.mts", "const a = `b$" + "{(c}`;\n", false],
		["a.cts", "const a = 'b;\n", false],
		["a.cts", "/* cut off", false],
		["a.ts", "@Component({ selector: '(' })\nexport class A {\n\t@Input() readonly b = /[{(]/.test(`}`);\n}\n", true],
		["a.js", "function (", false],
		["a.js", "const = 5;\n", false],
		["a.js", "const a: string = '';\n", false],
		["a.jsx", "const a = <b>{c}</d>;\n", false],
		["a.js", "with (a) b = 010;\nreturn require('x');\n", true],
		["a.mjs", "with (a) b = 010;\n", false],
		["a.json", '{"a": [1, 2, null]}', true],
		["a.json", "{a: 1}", false],
	])("%s with %j parses: %s", (path, text, parses) => {
		expect(faultsOf(path, text).length === 0).toBe(parses);
	});

	it("in TypeScript are checked for unclosed parts, not for their grammar", () => {
		expect(faultsOf("a.ts", "const = 5;\n")).toEqual([]);
		expect(faultsOf("a.ts", "const a = 1;\n\nf(a, [2, 3);\n")).toEqual(["a.ts: A closing bracket does not match (line 3)"]);
		expect(faultsOf("a.ts", "const a = 1;\nfunction f() {\n\tif (a) {\n\t}\n")).toEqual([
			"a.ts: A bracket or template is not closed (line 2)",
		]);
		expect(faultsOf("a.ts", 'import a from "a";\nconst b = "c;\n')).toEqual(["a.ts: A literal or comment is not closed (line 2)"]);
	});

	it("that are nested too deeply are blamed on the file, not on the platform", () => {
		expect(faultsOf("deep.json", "[".repeat(150_000)).length).toBe(1);
		expect(faultsOf("deep.js", `x = ${"(".repeat(100_000)}`).length).toBe(1);
		expect(faultsOf("deep.ts", `type A = ${"[".repeat(100_000)}`).length).toBe(1);
		expect(faultsOf("pyproject.toml", `a = ${"[".repeat(100_000)}`).length).toBe(1);
	});

	const chains = [
		"(",
		"[",
		"!",
		"({a:",
		"a=>",
		"a?b:",
		"new ",
		"if(a)",
		"`${",
		"<a>",
		"<a b={",
		"async(",
		"function f(){",
		"class A extends ",
	];

	it.each(chains)("in JavaScript with 190,000 characters of %j are too deep to be checked", (part) => {
		const text = part.repeat(190_000 / part.length);
		for (const path of ["a.js", "a.jsx", "a.mjs", "a.cjs"]) {
			expect(faultsOf(path, text)).toEqual([`${path}: is nested too deeply to be checked`]);
		}
	});

	it.each([
		["nested casts", (depth: number) => `x = ${"<a>(".repeat(depth)}1${")".repeat(depth)}`],
		["conditional arrows", (depth: number) => `x = ${"a ? (b): c => ".repeat(depth)}d${": e".repeat(depth)}`],
		["arrows with defaults", (depth: number) => `x = ${"(a = ".repeat(depth)}1${") => 1".repeat(depth)}`],
		["generic calls", (depth: number) => `x = ${"a<".repeat(depth)}1${">(1)".repeat(depth)}`],
		["generic arrows", (depth: number) => `x = ${"<T,>(a = ".repeat(depth)}1${") => 1".repeat(depth)}`],
		["return types", (depth: number) => `x = ${"(a): b => ".repeat(depth)}1`],
	])("with %s are checked in linear time", (_, text) => {
		for (const depth of [20, 400, 10_000]) {
			expect(faultsOf("a.ts", text(depth))).toEqual([]);
			expect(faultsOf("a.ts", `${text(depth)} )`)).toEqual([expect.stringContaining("does not match")]);
		}
		expect(faultsOf("a.tsx", text(20))).toEqual([]);
	});

	it.each([
		["arrows with defaults", (depth: number) => `x = ${"(a = ".repeat(depth)}1${") => 1".repeat(depth)}`],
		["async arrows", (depth: number) => `x = ${"async (a = ".repeat(depth)}1${") => 1".repeat(depth)}`],
		["calls of async", (depth: number) => `x = ${"async(a = ".repeat(depth)}1${")".repeat(depth)}`],
		["patterns", (depth: number) => `${"({a = ".repeat(depth)}1${"} = b)".repeat(depth)}`],
		["templates", (depth: number) => `x = ${"`${".repeat(depth)}1${"}`".repeat(depth)}`],
		["elements", (depth: number) => `x = ${"<a b={".repeat(depth)}1${"}/>".repeat(depth)}`],
	])("with honest %s parse", (_, text) => {
		for (const path of ["a.js", "a.jsx", "a.mjs", "a.cjs"]) expect(faultsOf(path, text(100))).toEqual([]);
	});

	it("whose fault is half of a surrogate pair have it replaced, because strict readers of JSON would reject the response", () => {
		const faults = ["😀", '{"a": 😀', `{"a": 1${"😀".repeat(300)}`].flatMap((text) => faultsOf("a.json", text));
		expect(faults.map((fault) => fault.isWellFormed())).toEqual([true, true, true]);
	});

	it("with many faults have up to ten of them listed", () => {
		const tree = Object.fromEntries(Array.from({ length: 25 }, (_, index) => [`f${index}.json`, "{"]));
		expect(factsOf(tree)).toMatchObject({ files_checked: 25, faults: { length: 10 } });
	});
});

describe("facts for a judge", () => {
	it("are one sentence each", () => {
		expect(describeFacts(factsOf({ "a.js": "let a = 1;", "package.json": "{}", "b.json": "{" }))).toEqual([
			"Languages: JavaScript (1 files, 10 bytes).",
			"Build manifests: package.json (npm).",
			"Static check: 3 files checked, 1 with faults.",
			expect.stringMatching(/^Does not parse: b\.json: .+\.$/),
		]);
		expect(describeFacts(factsOf({}))).toEqual([
			"No source files of a known language.",
			"No build manifest that parses.",
			"Static check: 0 files checked, 0 with faults.",
		]);
	});
});

describe("sections of SUBMISSION.md", () => {
	it.each([
		"# What I Built",
		"###### what i built ######",
		"  ## 1. What I Built:",
		"#\tWhat I Built\r",
		"## **What I Built**",
		"# What  I  Built #",
	])("are found by %j", (heading) => {
		expect(findMissingSections(`intro\n${heading}\ntext\n`)).toEqual(SUBMISSION_SECTIONS.filter((section) => section !== "What I Built"));
	});

	it.each([
		"What I Built",
		"#What I Built",
		"####### What I Built",
		"    # What I Built",
		"# What I Built and more",
		"> # What I Built",
		"text # What I Built",
		"What I Built\n----",
		"",
	])("are not found by %j", (text) => {
		expect(findMissingSections(text)).toEqual([...SUBMISSION_SECTIONS]);
	});
});
