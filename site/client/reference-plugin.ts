// What the viewer lacks for keyboards and screen readers.
import type { Plugin } from "./swagger-ui.ts";

export const accessibility: Plugin = () => ({ components: {} });
