// The rows of a double pass.

export type BlockRow = "minis" | "chunks" | "other";
export type RowName = "sentences" | BlockRow;
