// Reads what callers send to objects from the types: the input of each verb, and the parameters of each method.
import ts from "typescript";

/**
 * A type as JSON. A string is the name of a type, an array contains the type of its elements, and the names of optional fields end with
 * "?".
 */
export type InputType = string | readonly [InputType] | { readonly [field: string]: InputType | readonly InputType[] };

/** Inputs by the name of what is called: `closeOwnTask@1`, or `Workspace.putEntry` with parameters by position. */
export type Inputs = Readonly<Record<string, InputType>>;

/** Methods of an object that the runtime calls. */
const OF_RUNTIME = new Set(["fetch", "alarm", "webSocketMessage", "webSocketClose", "webSocketError"]);

/** Reads all inputs of a program. Files of `durable-objects/` export the classes. */
export function readInputs(program: ts.Program): Inputs {
	const checker = program.getTypeChecker();
	const sources = program
		.getSourceFiles()
		.filter(({ isDeclarationFile, fileName }) => !isDeclarationFile && !fileName.includes("/node_modules/"));
	const found = sources.flatMap((source) => [
		...findVerbs(source, checker),
		...(source.fileName.includes("durable-objects/") ? findMethods(source, checker) : []),
	]);
	return Object.fromEntries(found.toSorted(([a], [b]) => (a < b ? -1 : 1)));
}

type Found = readonly [calledAs: string, input: InputType];

/** Finds the calls that declare a verb and have its name as a literal string. */
function findVerbs(source: ts.SourceFile, checker: ts.TypeChecker): Found[] {
	const found: Found[] = [];
	const visit = (node: ts.Node): void => {
		if (ts.isCallExpression(node)) {
			const [name] = node.arguments;
			// Reading the types of other calls would take the compiler a minute.
			if (name !== undefined && ts.isStringLiteral(name) && /^\w*Verb$/.test(node.expression.getText(source))) {
				const type = checker.getTypeAtLocation(node);
				const calledAs = name.text.includes("@") ? name.text : `${name.text}@1`;
				if (type.symbol?.name === "TaskVerb") found.push([calledAs, describeInput(type, node, checker)]);
			}
		}
		ts.forEachChild(node, visit);
	};
	visit(source);
	return found;
}

function describeInput(verb: ts.Type, node: ts.Node, checker: ts.TypeChecker): InputType {
	const run = verb.getProperty("run");
	const [signature] = run === undefined ? [] : checker.getTypeOfSymbolAtLocation(run, node).getCallSignatures();
	const input = signature?.getParameters()[1];
	if (input === undefined) throw new Error(`A verb at ${node.getSourceFile().fileName} has no input.`);
	return describeType(checker.getTypeOfSymbolAtLocation(input, node), { node, checker, around: [] });
}

function findMethods(source: ts.SourceFile, checker: ts.TypeChecker): Found[] {
	const classes = source.statements.filter(ts.isClassDeclaration).filter(({ name }) => name !== undefined);
	return classes.flatMap((declared) =>
		checker
			.getTypeAtLocation(declared)
			.getProperties()
			.filter((property) => isCallable(property))
			.map((property): Found => {
				const [signature] = checker.getTypeOfSymbolAtLocation(property, declared).getCallSignatures();
				const parameters = (signature?.getParameters() ?? []).map((parameter, index) => {
					const isOptional = parameter.valueDeclaration !== undefined && isOptionalParameter(parameter.valueDeclaration);
					const type = checker.getTypeOfSymbolAtLocation(parameter, declared);
					const place = { node: declared, checker, around: [] };
					return isOptional
						? ([`${index + 1}?`, describeOptional(type, place)] as const)
						: ([`${index + 1}`, describeType(type, place)] as const);
				});
				return [`${declared.name?.text}.${property.name}`, Object.fromEntries(parameters)];
			}),
	);
}

/** Returns true for a method that other objects and Workers can call: it is public and declared in the project. */
function isCallable({ name, valueDeclaration }: ts.Symbol): boolean {
	if (valueDeclaration === undefined || !ts.isMethodDeclaration(valueDeclaration) || ts.isPrivateIdentifier(valueDeclaration.name))
		return false;
	const hidden = ts.ModifierFlags.Private | ts.ModifierFlags.Protected;
	return (
		!valueDeclaration.getSourceFile().isDeclarationFile &&
		(ts.getCombinedModifierFlags(valueDeclaration) & hidden) === 0 &&
		!OF_RUNTIME.has(name)
	);
}

function isOptionalParameter(declaration: ts.Declaration): boolean {
	return ts.isParameter(declaration) && (declaration.questionToken !== undefined || declaration.initializer !== undefined);
}

interface Place {
	readonly node: ts.Node;
	readonly checker: ts.TypeChecker;
	/** The types that contain this one. */
	readonly around: readonly ts.Type[];
}

function describeType(type: ts.Type, place: Place): InputType {
	const { checker, around } = place;
	if (around.includes(type)) return "recursive";
	if ((type.flags & ts.TypeFlags.Any) !== 0) return "unknown";
	const inside = { ...place, around: [...around, type] };
	if (type.isUnion() && (type.flags & ts.TypeFlags.Boolean) === 0) return describeMembers(type.types, inside);
	if ((type.flags & (ts.TypeFlags.Object | ts.TypeFlags.Intersection)) === 0) return checker.typeToString(type);
	if (checker.isTupleType(type)) return { tuple: typeArgumentsOf(type, checker).map((item) => describeType(item, inside)) };
	const [item] = checker.isArrayType(type) ? typeArgumentsOf(type, checker) : [];
	if (item !== undefined) return [describeType(item, inside)];
	if (type.getCallSignatures().length > 0) return "function";
	if (isOfPlatform(type)) return checker.typeToString(type);
	return describeObject(type, inside);
}

/** Sorts the members of a union, because the compiler's order depends on which file it reads first. */
function describeMembers(types: readonly ts.Type[], place: Place): InputType {
	const members = types.map((member) => describeType(member, place));
	const isBoolean = members.includes("true") && members.includes("false");
	const all = isBoolean ? [...members.filter((member) => member !== "true" && member !== "false"), "boolean"] : members;
	const sorted = all.toSorted((a, b) => (JSON.stringify(a) < JSON.stringify(b) ? -1 : 1));
	const [only] = sorted;
	if (only !== undefined && sorted.length === 1) return only;
	return sorted.every((member) => typeof member === "string") ? sorted.join(" | ") : { oneOf: sorted };
}

function describeObject(type: ts.Type, place: Place): InputType {
	const { checker, node } = place;
	const fields = checker.getPropertiesOfType(type).map((property) => {
		const isOptional = (property.flags & ts.SymbolFlags.Optional) !== 0;
		const declared = checker.getTypeOfSymbolAtLocation(property, node);
		return [
			`${property.name}${isOptional ? "?" : ""}`,
			isOptional ? describeOptional(declared, place) : describeType(declared, place),
		] as const;
	});
	const others = checker
		.getIndexInfosOfType(type)
		.map(({ keyType, type: value }) => [`[${checker.typeToString(keyType)}]`, describeType(value, place)] as const);
	return Object.fromEntries([...fields, ...others].toSorted(([a], [b]) => (a < b ? -1 : 1)));
}

/** Describes an optional field's type without undefined, because the name of the field already says that it is optional. */
function describeOptional(type: ts.Type, place: Place): InputType {
	if (!type.isUnion()) return describeType(type, place);
	return describeMembers(
		type.types.filter(({ flags }) => (flags & ts.TypeFlags.Undefined) === 0),
		place,
	);
}

function typeArgumentsOf(type: ts.Type, checker: ts.TypeChecker): readonly ts.Type[] {
	return isReference(type) ? checker.getTypeArguments(type) : [];
}

function isReference(type: ts.Type): type is ts.TypeReference {
	return "target" in type;
}

/** Returns true for a class or interface of the runtime or of a library, such as Uint8Array, which is shown by name. */
function isOfPlatform({ symbol }: ts.Type): boolean {
	const declared = symbol?.declarations?.[0];
	const isNamed = declared !== undefined && (ts.isInterfaceDeclaration(declared) || ts.isClassDeclaration(declared));
	return isNamed && declared.getSourceFile().isDeclarationFile;
}
