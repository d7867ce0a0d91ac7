/** The plugin for tabs puts these into pages. They are outside this folder, so they reach the package only through an alias. */
export { TabItem, Tabs } from "@astrojs/starlight/components";
