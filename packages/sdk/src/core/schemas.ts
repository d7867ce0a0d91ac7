import type { components } from "../generated/schema.ts";

/** Every named schema of the OpenAPI document: `Schemas["TaskDetail"]`. */
export type Schemas = components["schemas"];
