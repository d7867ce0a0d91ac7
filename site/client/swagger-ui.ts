// The part of Swagger UI's interface that the reference page uses.

export type Child = object | string | null | undefined | false;

export interface React {
	createElement(type: string | Component, props: Readonly<Record<string, unknown>> | null, ...children: readonly Child[]): object;
}

export type Component = (props: Readonly<Record<string, unknown>>) => object | null;

export interface System {
	readonly React: React;
}

export type Plugin = (system: System) => {
	readonly components?: Readonly<Record<string, Component>>;
	readonly wrapComponents?: Readonly<Record<string, (original: Component, system: System) => Component>>;
};

export type SwaggerUi = (options: Readonly<Record<string, unknown>> & { readonly plugins: readonly Plugin[] }) => unknown;
