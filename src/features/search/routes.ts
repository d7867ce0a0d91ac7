import { type Endpoint, handle } from "../../http/endpoint.ts";
import * as contract from "./contract.ts";
import { searchTasks } from "./service.ts";

export const searchEndpoints: readonly Endpoint[] = [handle(contract.searchTasks, (ctx, { query }) => searchTasks(ctx, query))];
