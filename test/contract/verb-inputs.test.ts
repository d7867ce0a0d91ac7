// docs/verbs.json has the inputs of all verbs, and `npm run check` refuses another one under the same number. These are samples.
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import ts from "typescript";
import { expect, it } from "vitest";
import { PROJECT_ROOT } from "../../scripts/support/wrangler.ts";
import { findChangedInputs } from "../../scripts/verbs/compare-inputs.ts";
import { type Inputs, readInputs } from "../../scripts/verbs/read-inputs.ts";

const DECLARATIONS = `
interface TaskVerb<Input, Output> { run: (task: object, input: Input) => Output }
declare function taskVerb<Input, Output>(name: string, run: (task: object, input: Input) => Output): TaskVerb<Input, Output>;
`;

/** Reads the inputs of a program that has one file. */
function inputsOf(code: string, fileName = "/durable-objects/sample.ts"): Inputs {
	const options: ts.CompilerOptions = { strict: true, noLib: true, types: [], exactOptionalPropertyTypes: true };
	const source = ts.createSourceFile(fileName, `${DECLARATIONS}${code}`, ts.ScriptTarget.ESNext, true);
	const host = { ...ts.createCompilerHost(options), getSourceFile: (path: string) => (path === fileName ? source : undefined) };
	return readInputs(ts.createProgram({ rootNames: [fileName], options, host }));
}

const verb = (type: string, name = "close") => inputsOf(`taskVerb("${name}", (_, input: ${type}) => input);`);
const before = verb("{ by: string; kind: 'a' | 'b'; page: { after: string | null } | null }");

it("inputs are read from the types, with numbers", () => {
	expect(before).toEqual({ "close@1": { by: "string", kind: '"a" | "b"', page: { oneOf: ["null", { after: "null | string" }] } } });
	expect(verb("{ at?: number; isIt: boolean | null }", "close@2")).toEqual({ "close@2": { "at?": "number", isIt: "boolean | null" } });
});

it("methods of objects are read too, but for those that only the class or the runtime calls", () => {
	const code =
		"export class Box { async put(key: string, size?: number) {} protected hide() {} private keep() {} alarm() {} #own(key: string) {} get it() { return 1; } }";
	expect(inputsOf(code)).toEqual({ "Box.put": { "1": "string", "2?": "number" } });
	expect(findChangedInputs(inputsOf(code), inputsOf(code.replace("key: string, size", "key: number, size")))).toEqual(["Box.put"]);
	expect(inputsOf(code, "/src/sample.ts")).toEqual({});
});

it.each([
	["a field has another type", "{ by: number; kind: 'a' | 'b'; page: { after: string | null } | null }"],
	["a list has another value", "{ by: string; kind: 'a' | 'b' | 'c'; page: { after: string | null } | null }"],
	["a required field was added", "{ by: string; kind: 'a' | 'b'; page: { after: string | null; limit: number } | null }"],
	["a field was removed", "{ by: string; page: { after: string | null } | null }"],
	["a field has become optional", "{ by?: string; kind: 'a' | 'b'; page: { after: string | null } | null }"],
	["all of it is null", "null"],
])("a verb needs another number if %s", (_, type) => {
	expect(findChangedInputs(before, verb(type))).toEqual(["close@1"]);
	expect(findChangedInputs(before, verb(type, "close@2"))).toEqual([]);
});

it.each([
	["nothing has changed", "{ page: { after: string | null } | null; kind: 'b' | 'a'; by: string }"],
	["an optional field was added", "{ by: string; at?: number; kind: 'a' | 'b'; page: null | { after: string | null; limit?: number } }"],
])("a verb keeps its number if %s", (_, type) => {
	expect(findChangedInputs(before, verb(type))).toEqual([]);
});

it("docs/verbs.json lists the verbs and the methods", async () => {
	const stored: Inputs = JSON.parse(await readFile(join(PROJECT_ROOT, "docs", "verbs.json"), "utf8"));
	expect(stored["closeOwnTask@1"]).toEqual({ by: "string" });
	expect(stored["Workspace.noteMultipart"]).toEqual({ "1": "string", "2": "string" });
	expect(Object.keys(stored).length).toBeGreaterThan(150);
});
