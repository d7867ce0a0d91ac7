import { discount } from "../src/discount.js";

console.log(discount(100), discount(9000), discount(5));
console.log("ok");
