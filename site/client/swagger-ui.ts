// The part of Swagger UI's plugin interface that the reference page uses.

/** Made by `createElement`; opaque to us. */
export interface Node {
	readonly type: unknown;
}

export type Child = Node | string | readonly Node[] | false | null | undefined;

/** A component of the viewer's, or one of ours. */
export type Component = object;

export type CreateElement = (type: string | Component, props: object | null, ...children: readonly Child[]) => Node;

/** An Immutable.js map, of which only reading is needed. */
export interface ImmutableMap {
	get(key: string): unknown;
	getIn(path: readonly string[], otherwise?: unknown): unknown;
}

export type GetComponent = (name: string, isContainer?: boolean) => Component;

export interface LayoutSelectors {
	isShown(path: readonly string[], otherwise: boolean): boolean;
}

export interface LayoutActions {
	show(path: readonly string[], isShown: boolean): void;
}

export interface SpecSelectors {
	loadingStatus(): string;
	info(): ImmutableMap | undefined;
	/** Operations by tag, in the document's order. */
	taggedOperations(): { keySeq(): { toArray(): string[] } };
	securityDefinitions(): unknown;
}

export interface System {
	readonly React: { readonly createElement: CreateElement };
}

export type Plugin = (system: System) => {
	readonly components?: Readonly<Record<string, Component>>;
	readonly statePlugins?: {
		readonly layout: {
			readonly wrapActions: { readonly scrollToElement: () => (element: Element) => { readonly type: string } };
		};
	};
	/** Functions of the viewer to replace. */
	readonly fn?: object;
};

export interface SwaggerUiOptions {
	readonly url: string;
	readonly dom_id: string;
	readonly layout: string;
	readonly plugins: readonly Plugin[];
	readonly deepLinking: boolean;
	readonly docExpansion: "list" | "full" | "none";
	readonly filter: boolean;
	readonly defaultModelsExpandDepth: number;
	readonly defaultModelExpandDepth: number;
	readonly displayRequestDuration: boolean;
	readonly persistAuthorization: boolean;
	readonly syntaxHighlight: boolean;
	/** Null switches the badge of an outside validator off. */
	readonly validatorUrl: null;
}

export type StartSwaggerUi = (options: SwaggerUiOptions) => unknown;
