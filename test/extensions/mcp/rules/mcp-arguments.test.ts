// Tests how the arguments of all clients are made regular, and what is found wrong with them.
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { findFaults, makeRegular, type Schema } from "../../../../src/domain/tool-arguments.ts";
import { parseMessage } from "../../../../src/extensions/mcp/messages.ts";

const text = { type: "string" } as const;
const pairs = { type: "array", items: { type: "object", properties: { name: text, value: text }, required: ["name", "value"] } } as const;
const schema: Schema = {
	type: "object",
	properties: {
		task_id: text,
		limit: { type: "integer" },
		weight: { type: "number" },
		sealed: { type: "boolean" },
		names: { type: "array", items: text },
		proof: { type: "object", properties: { challenge: text, solution: text } },
		files: {
			type: "array",
			items: {
				type: "object",
				properties: { path: text, content: text, encoding: { ...text, enum: ["text", "base64"] } },
				required: ["path", "content"],
			},
		},
		query: pairs,
		body: text,
		value: text,
		value_json: text,
	},
	required: ["task_id"],
};
const NIL = "00000000-0000-0000-0000-000000000000";
const regular = (args: unknown) => makeRegular(schema, args);

const nothing = fc.letrec((tie) => ({
	any: fc.oneof(
		{ maxDepth: 3 },
		fc.constantFrom(null, "", NIL),
		fc.constant([]),
		fc.dictionary(fc.constantFrom("a", "challenge", "solution"), tie("any")),
	),
})).any;

describe("what means nothing", () => {
	it("is left out in every form, at every depth", () => {
		fc.assert(
			fc.property(nothing, (given) => {
				expect(regular(given)).toBeUndefined();
				for (const name of ["task_id", "limit", "weight", "sealed", "names", "proof"]) {
					expect(regular({ task_id: "a", [name]: given })).toEqual(name === "task_id" ? undefined : { task_id: "a" });
				}
				expect(regular({ task_id: "a", names: [given, "b", given] })).toEqual({ task_id: "a", names: ["b"] });
				expect(regular({ task_id: "a", files: [{ path: given, content: given }] })).toEqual({ task_id: "a" });
			}),
		);
	});

	it("as JSON text is left out too", () => {
		for (const given of ["null", "[]", "{}", '{"challenge": ""}'])
			expect(regular({ task_id: "a", proof: given, names: given })).toEqual({ task_id: "a" });
	});

	it("is kept as the content of a file and as a value, and inside of a body", () => {
		const kept = {
			task_id: "a",
			value: "",
			files: [{ path: "a", content: "" }],
			query: [
				{ name: "q", value: "" },
				{ name: "id", value: NIL },
			],
			body: '{"a":null,"b":""}',
		};
		expect(regular(kept)).toEqual(kept);
		expect(regular({ task_id: "a", body: { a: null, b: "", c: [] }, value_json: [null] })).toEqual({
			task_id: "a",
			body: '{"a":null,"b":"","c":[]}',
			value_json: "[null]",
		});
		expect(regular({ task_id: "a", value: null })).toEqual({ task_id: "a" });
	});

	it("includes lists of files and of parameters without names", () => {
		for (const given of [null, "", [], {}, "{}", [{}], [{ path: "", content: "", name: null, value: "" }]])
			expect(regular({ task_id: "a", files: given, query: given })).toEqual({ task_id: "a" });
		expect(regular({ files: { "a.js": "" }, query: { q: "" } })).toEqual({
			files: [{ path: "a.js", content: "" }],
			query: [{ name: "q", value: "" }],
		});
	});

	it("includes a limit below 1", () => {
		for (const limit of [0, -1, "0", "-5"]) expect(regular({ task_id: "a", limit })).toEqual({ task_id: "a" });
		expect(regular({ task_id: "a", limit: 1 })).toEqual({ task_id: "a", limit: 1 });
	});
});

describe("other forms", () => {
	it("of numbers, booleans, lists and objects as JSON text are read", () => {
		const given = { task_id: "5", limit: "5", weight: "2.5", sealed: "false", names: '["a"]', proof: '{"challenge":"c","solution":"s"}' };
		const read = { task_id: "5", limit: 5, weight: 2.5, sealed: false, names: ["a"], proof: { challenge: "c", solution: "s" } };
		expect(regular(given)).toEqual(read);
		expect(regular(JSON.stringify(given))).toEqual(read);
	});

	it("of files are read: a map from path to text or file, also as JSON text", () => {
		fc.assert(
			fc.property(fc.dictionary(fc.string({ minLength: 1 }), fc.string()), (map) => {
				const files = Object.entries(map).map(([path, content]) => ({ path, content }));
				const kept = files.filter(({ path, content }) => !(path === NIL && (content === "" || content === NIL)));
				fc.pre(kept.length > 0);
				for (const given of [map, JSON.stringify(map), files, JSON.stringify(files)])
					expect(regular({ files: given })).toEqual({ files: kept });
			}),
		);
		expect(regular({ files: { a: { content: "AA==", encoding: "base64" } } })).toEqual({
			files: [{ path: "a", content: "AA==", encoding: "base64" }],
		});
	});

	it("of names and values are read: an object with one value or several", () => {
		const query = [
			{ name: "limit", value: "5" },
			{ name: "status", value: "open" },
			{ name: "status", value: "closed" },
			{ name: "x", value: "true" },
		];
		expect(regular({ query: { limit: 5, status: ["open", "closed"], x: true, y: null } })).toEqual({ query });
		expect(regular({ query: '{"limit": "5"}' })).toEqual({ query: [{ name: "limit", value: "5" }] });
		expect(regular({ query: [{ name: "limit", value: 5 }] })).toEqual({ query: [{ name: "limit", value: "5" }] });
	});
});

describe("arguments of any kind", () => {
	it("stay the same if they are made regular twice", () => {
		fc.assert(
			fc.property(fc.dictionary(fc.constantFrom(...Object.keys(schema.properties ?? {})), fc.jsonValue()), (given) => {
				const once = regular(given);
				expect(regular(once)).toEqual(once);
			}),
		);
	});

	it("that are regular and have no faults fit the schema, and never throw", () => {
		fc.assert(
			fc.property(fc.jsonValue(), (given) => {
				const args = regular(given) ?? {};
				for (const { path, message } of findFaults(schema, args))
					expect([typeof path, message]).toEqual(["string", expect.stringMatching(/^(must be|is required)/)]);
			}),
		);
		const deep = JSON.parse(`${"[".repeat(5_000)}${"]".repeat(5_000)}`);
		expect(() => regular({ task_id: deep, names: deep, value_json: deep, proof: deep })).not.toThrow();
	});

	it("are faulty where they have another type, another value, or lack what is required", () => {
		const faults = findFaults(schema, {
			limit: 1.5,
			weight: "much",
			sealed: "no",
			names: ["a", 5],
			proof: [],
			files: [{ path: "a", encoding: "gzip" }],
		});
		expect(faults).toEqual([
			{ path: "task_id", message: "is required" },
			{ path: "limit", message: "must be a whole number" },
			{ path: "weight", message: "must be a number" },
			{ path: "sealed", message: "must be true or false" },
			{ path: "names[1]", message: "must be text" },
			{ path: "proof", message: "must be an object" },
			{ path: "files[0].content", message: "is required" },
			{ path: "files[0].encoding", message: "must be one of text, base64" },
		]);
	});
});

describe("a message", () => {
	const message = { jsonrpc: "2.0", id: 1, method: "prompts/get" };

	it("may have empty parameters and arguments", () => {
		for (const params of [null, "", [], {}, { cursor: "" }, { name: null, arguments: {} }])
			expect(parseMessage({ ...message, params })).toEqual(message);
		const given = { name: "compete", cursor: null, arguments: { task_id: null, category: "csv" } };
		expect(parseMessage({ ...message, params: given })?.params).toEqual({ name: "compete", arguments: { category: "csv" } });
		expect(parseMessage({ ...message, params: { name: "compete", arguments: null } })?.params).toEqual({ name: "compete" });
		const opening = { protocolVersion: "2025-11-25", capabilities: {}, clientInfo: { name: "a", version: "1" } };
		expect(parseMessage({ ...message, method: "initialize", params: opening })?.params).toEqual(opening);
	});

	it("must have parameters that are an object", () => {
		for (const params of [[1], "x", 5, true]) expect(parseMessage({ ...message, params })).toBeNull();
	});
});
