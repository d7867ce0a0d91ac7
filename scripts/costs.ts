// npm run costs prints the cost of a deployment in a month, in US dollars. docs/pages/operating/costs.mdx has the table.
import { costTable } from "./costs/costs.ts";

console.log(costTable());
