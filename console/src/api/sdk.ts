// The console stands on the source of the SDK, as the command line does.
export * from "../../../packages/sdk/src/index.ts";
