// What the gallery tells the server.

import type { Moment } from "../components/shared/component.d.ts";

export interface GalleryState {
  chosen: { id: string; at: Moment };
}
