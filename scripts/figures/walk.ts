// Walks through the calls of a function in the order in which they are written, like a reader who wants to understand it.
import { join, relative } from "node:path";
import ts from "typescript";
import { CommandError } from "../support/command.ts";
import { PROJECT_ROOT } from "../support/wrangler.ts";

export interface Walk {
	/** The features that the walk enters: folders of a group of the core, and extensions. */
	readonly rooms: readonly string[];
	/** How often the walk returns to a feature that it has left. */
	readonly returns: number;
}

/** Opens the sources. Types are resolved only as far as calls need them. */
export function openSources(): ts.Program {
	const { config } = ts.readConfigFile(join(PROJECT_ROOT, "tsconfig.json"), ts.sys.readFile);
	const { options } = ts.convertCompilerOptionsFromJson(config.compilerOptions, PROJECT_ROOT);
	return ts.createProgram([join(PROJECT_ROOT, "src", "index.ts")], options);
}

/**
 * Walks from a function or verb through all functions of `src/` that it calls by name, and enters each of them once.
 * The walk does not follow calls through a list or an interface, because these are decided at run time and a reader may skip them.
 */
export function walkFrom(program: ts.Program, path: string, name: string): Walk {
	const checker = program.getTypeChecker();
	const file = program.getSourceFile(join(PROJECT_ROOT, path));
	const start = file?.statements.flatMap(declarationsOf).find((declared) => declared.name?.getText() === name);
	if (start === undefined) throw new CommandError(`${path} has no function called ${name}.`);
	const walked = new Set<ts.Node>();
	const stays: string[] = [];

	function enter(declared: ts.Declaration): void {
		const body = bodyOf(declared);
		const room = featureOf(declared.getSourceFile().fileName);
		if (body === null) return;
		if (room !== null && stays.at(-1) !== room) stays.push(room);
		if (walked.has(declared)) return;
		walked.add(declared);
		follow(body);
	}

	function follow(node: ts.Node): void {
		ts.forEachChild(node, follow);
		if (!ts.isCallExpression(node)) return;
		const symbol = checker.getSymbolAtLocation(node.expression);
		const isAlias = symbol !== undefined && (symbol.flags & ts.SymbolFlags.Alias) !== 0;
		const called = (isAlias ? checker.getAliasedSymbol(symbol) : symbol)?.valueDeclaration;
		if (called !== undefined && relative(PROJECT_ROOT, called.getSourceFile().fileName).startsWith("src/")) enter(called);
	}

	enter(start);
	const rooms = [...new Set(stays)];
	return { rooms, returns: stays.length - rooms.length };
}

function declarationsOf(statement: ts.Statement): readonly (ts.FunctionDeclaration | ts.VariableDeclaration)[] {
	if (ts.isFunctionDeclaration(statement)) return [statement];
	return ts.isVariableStatement(statement) ? statement.declarationList.declarations : [];
}

/** Returns what runs when a declaration is called: the body of a function, or of the function behind a verb. */
function bodyOf(declared: ts.Declaration): ts.Node | null {
	if (ts.isFunctionDeclaration(declared)) return declared.body ?? null;
	if (!ts.isVariableDeclaration(declared) || declared.initializer === undefined) return null;
	const { initializer } = declared;
	const made = ts.isCallExpression(initializer) ? initializer.arguments.find((given) => ts.isArrowFunction(given)) : initializer;
	return made !== undefined && ts.isArrowFunction(made) ? made.body : null;
}

function featureOf(path: string): string | null {
	const [, group, extension] = /^src\/(?:core\/([^/]+\/[^/]+)|extensions\/([^/]+))\//.exec(relative(PROJECT_ROOT, path)) ?? [];
	return group ?? extension ?? null;
}
