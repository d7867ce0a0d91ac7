import { type Endpoint, handle } from "../../../http/endpoint.ts";
import * as contract from "./contract.ts";
import { readIndexed } from "./rebuild-index.ts";
import { searchTasks } from "./search-tasks.ts";

export const searchVerbs = [readIndexed];

export const searchEndpoints: readonly Endpoint[] = [handle(contract.searchTasks, (ctx, { query }) => searchTasks(ctx, query))];
