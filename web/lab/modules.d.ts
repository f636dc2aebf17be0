/** What esbuild makes modules of that are no scripts: the data of the build, and Python as text. */

declare module "lab-data" {
  const data: import("./kinds.js").Data;
  export default data;
}

declare module "lab-starting-points" {
  const points: import("./kinds.js").StartingPoint[];
  export default points;
}

declare module "*.py" {
  const source: string;
  export default source;
}
