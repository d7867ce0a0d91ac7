// npm run costs prints the monthly cost of a deployment in US dollars. docs/pages/operating/costs.mdx has the table.
import { costTable } from "./costs/costs.ts";

console.log(costTable());
