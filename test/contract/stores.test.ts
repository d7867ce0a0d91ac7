// Functions of store.ts run reads and functions of statements.ts build writes. This tests what both export, and that every built write
// is committed.
import ts from "typescript";
import { describe, expect, it } from "vitest";
import { readSources, resolveImport, type SourceFile } from "../../scripts/support/sources.ts";

/** SQL of a Durable Object runs at once, because its storage has no promises and no batches. */
const SYNCHRONOUS = ["src/core/identity/workspace/store.ts", "src/core/events/webhooks/object/store.ts"];
/** A port whose implementation is made with a database exports only the function that makes it. */
const FACTORIES = ["src/core/judging/engine/store.ts"];
/** `commit` accepts arguments of these types. */
const BUILT = /^(readonly )?(Statement|EventInsert|CommitItem)(\[\])?$/;

const sources = readSources("src");
const named = (name: string) => sources.filter(({ path }) => /^src\/(core|extensions)\//.test(path) && path.endsWith(`/${name}`));
const isInObject = (path: string) => SYNCHRONOUS.includes(path) || path.startsWith("src/core/competition/");
const stores = named("store.ts").filter(({ path }) => !isInObject(path) && !FACTORIES.includes(path));
const statements = named("statements.ts");

const trees = new Map<SourceFile, ts.SourceFile>();

function parse(file: SourceFile): ts.SourceFile {
	const tree = trees.get(file) ?? ts.createSourceFile(file.path, file.text, ts.ScriptTarget.ESNext, true);
	trees.set(file, tree);
	return tree;
}

interface ExportedValue {
	readonly path: string;
	readonly name: string;
	/** The signature is null for a value that is not a function. */
	readonly signature: { readonly isAsync: boolean; readonly returns: string } | null;
}

/** Lists what a file exports besides types. */
function exportedValues(file: SourceFile): ExportedValue[] {
	const isMarked = (node: ts.HasModifiers, kind: ts.SyntaxKind) => node.modifiers?.some((modifier) => modifier.kind === kind) === true;
	return parse(file).statements.flatMap((node): ExportedValue[] => {
		if (!ts.canHaveModifiers(node) || !isMarked(node, ts.SyntaxKind.ExportKeyword)) return [];
		if (ts.isInterfaceDeclaration(node) || ts.isTypeAliasDeclaration(node)) return [];
		if (!ts.isFunctionDeclaration(node)) return [{ path: file.path, name: node.getText().slice(0, 60), signature: null }];
		const isAsync = isMarked(node, ts.SyntaxKind.AsyncKeyword);
		return [{ path: file.path, name: node.name?.text ?? "", signature: { isAsync, returns: node.type?.getText() ?? "" } }];
	});
}

const listed = ({ path, name }: { path: string; name: string }) => `${path}: ${name}`;
const verbOf = (name: string) => /^[a-z]+/.exec(name)?.[0] ?? name;

describe("store.ts", () => {
	it("exports only async functions, so that every call runs", () => {
		const values = stores.flatMap(exportedValues);
		expect(values.length).toBeGreaterThan(30);
		expect(values.filter(({ signature }) => signature?.isAsync !== true).map(listed)).toEqual([]);
	});
});

describe("statements.ts", () => {
	it("exports only functions that return Statement or Statement[] at once", () => {
		const values = statements.flatMap(exportedValues);
		expect(values.length).toBeGreaterThan(40);
		const isBuilder = ({ signature }: ExportedValue) =>
			signature !== null && !signature.isAsync && /^Statement(\[\])?$/.test(signature.returns);
		expect(values.filter((value) => !isBuilder(value)).map(listed)).toEqual([]);
	});

	it("uses other verbs than store.ts, so that a name says whether a call runs", () => {
		const running = new Set(stores.flatMap(exportedValues).map(({ name }) => verbOf(name)));
		const built = statements.flatMap(exportedValues).filter(({ name }) => running.has(verbOf(name)));
		expect(built.map(listed)).toEqual([]);
	});
});

describe("a built statement", () => {
	it("is never dropped or awaited separately, because only a commit runs it", () => {
		expect(findLostStatements(sources)).toEqual([]);
	});

	it.each([
		["import * as statements from './statements.ts';", "statements.deleteRow(ctx);"],
		["import * as statements from './statements.ts';", "await statements.deleteRow(ctx);"],
		["import * as statements from './statements.ts';", "void statements.deleteRow(ctx);"],
		["import * as statements from './statements.ts';", "isOld && statements.deleteRow(ctx);"],
		["import * as statements from './statements.ts';", "isOld ? statements.deleteRow(ctx) : null;"],
		["import { deleteRow } from './statements.ts';", "deleteRow(ctx);"],
		["import { deleteRow as remove } from './statements.ts';", "remove(ctx);"],
		["import { deleteRow } from './statements.ts';", "const run = () => { deleteRow(ctx); };", "deleteRow(ctx)"],
		["import { deleteRow } from './statements.ts';", "const row = await deleteRow(ctx);", "await deleteRow(ctx)"],
	])("is found: %s %s", (line, call, found = call.replace(/;$/, "")) => {
		expect(findLostStatements([BUILDER, asSource("src/core/a/service.ts", `${line}\n${call}`)])).toEqual([
			`src/core/a/service.ts: ${found}`,
		]);
	});

	it.each([
		["import * as statements from './statements.ts';", "await commit(db, [statements.deleteRow(ctx)]);"],
		["import * as statements from './statements.ts';", "const removal = statements.deleteRow(ctx);"],
		["import * as store from './store.ts';", "await store.deleteRow(ctx);"],
	])("may be stored, and its name may mean something else elsewhere: %s %s", (line, call) => {
		expect(findLostStatements([BUILDER, asSource("src/core/a/service.ts", `${line}\n${call}`)])).toEqual([]);
	});
});

function asSource(path: string, text: string): SourceFile {
	return { path, text, code: text, imports: [] };
}

const BUILDER = asSource("src/core/a/statements.ts", "export function deleteRow(deps: Deps): Statement[] { return []; }");

/** Finds calls of builders whose result is dropped, or is awaited: drizzle would run it outside of a commit. */
function findLostStatements(files: readonly SourceFile[]): string[] {
	const builders = new Set(
		files.flatMap((file) =>
			functionsOf(file)
				.filter(isBuilt)
				.map(({ name }) => `${file.path}#${name?.text}`),
		),
	);
	return files.flatMap((file) => {
		const imported = importedNames(file);
		const isBuilderCall = (node: ts.Node): boolean => {
			if (!ts.isCallExpression(node)) return false;
			return builders.has(imported(node.expression.getText()) ?? `${file.path}#${node.expression.getText()}`);
		};
		return lostIn(parse(file), isBuilderCall).map((node) => `${file.path}: ${node.getText().replace(/;$/, "")}`);
	});
}

function functionsOf(file: SourceFile): ts.FunctionDeclaration[] {
	return parse(file).statements.filter(ts.isFunctionDeclaration);
}

function isBuilt({ type }: ts.FunctionDeclaration): boolean {
	return type !== undefined && BUILT.test(type.getText());
}

/** Returns a function from the name by which a file calls an import to the file and name of its declaration. */
function importedNames(file: SourceFile): (called: string) => string | undefined {
	const names = new Map<string, string>();
	const namespaces = new Map<string, string>();
	for (const node of parse(file).statements) {
		if (!ts.isImportDeclaration(node) || !ts.isStringLiteral(node.moduleSpecifier)) continue;
		const target = resolveImport(file.path, node.moduleSpecifier.text);
		const bindings = node.importClause?.namedBindings;
		if (bindings === undefined) continue;
		if (ts.isNamespaceImport(bindings)) namespaces.set(bindings.name.text, target);
		else for (const { name, propertyName } of bindings.elements) names.set(name.text, `${target}#${(propertyName ?? name).text}`);
	}
	return (called) => {
		const [object = "", member] = called.split(".");
		const namespace = namespaces.get(object);
		return member === undefined ? names.get(called) : namespace === undefined ? undefined : `${namespace}#${member}`;
	};
}

/** Finds statements of the language that drop a call, and awaits of one. */
function lostIn(root: ts.Node, isWanted: (node: ts.Node) => boolean): ts.Node[] {
	const drops = (node: ts.Node): boolean => isWanted(node) || operandsOf(node).some(drops);
	const visit = (node: ts.Node): ts.Node[] => {
		if (ts.isExpressionStatement(node) && drops(node.expression)) return [node];
		if (ts.isAwaitExpression(node) && isWanted(node.expression)) return [node];
		return node.getChildren().flatMap(visit);
	};
	return visit(root);
}

/** Returns the parts of an expression whose value is the value of the whole. */
function operandsOf(node: ts.Node): ts.Node[] {
	if (ts.isAwaitExpression(node) || ts.isVoidExpression(node) || ts.isParenthesizedExpression(node)) return [node.expression];
	if (ts.isConditionalExpression(node)) return [node.whenTrue, node.whenFalse];
	return ts.isBinaryExpression(node) ? [node.left, node.right] : [];
}
