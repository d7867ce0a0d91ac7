/** Only Astro's compiler knows what a component is. */
declare module "*.astro" {
	const component: unknown;

	export { component as default };
}
