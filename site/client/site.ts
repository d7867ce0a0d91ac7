// The script of every page. Pages are whole without it; it adds copying, searching, and a sense of place.

import { followContents, showCurrentPage } from "./contents.ts";
import { addCopying } from "./copying.ts";
import { addSearch } from "./search.ts";

addCopying();
addSearch();
showCurrentPage();
followContents();
