// Pictures and films of what is on screen.

import { download } from "./dom";

export function takePicture(canvas: HTMLCanvasElement): Promise<Blob> {
  return new Promise((resolve, reject) => {
    canvas.toBlob(
      (blob) => (blob ? resolve(blob) : reject(new Error("The picture could not be made."))),
      "image/png",
    );
  });
}

export async function savePicture(canvas: HTMLCanvasElement, name: string): Promise<void> {
  download(await takePicture(canvas), `${name}.png`);
}

export class Recorder {
  private recorder: MediaRecorder | undefined;
  private pieces: Blob[] = [];

  constructor(private readonly canvas: HTMLCanvasElement) {}

  get running(): boolean {
    return this.recorder !== undefined;
  }

  start(): void {
    const type = ["video/webm;codecs=vp9", "video/webm;codecs=vp8", "video/webm"].find((t) =>
      MediaRecorder.isTypeSupported(t),
    );
    if (!type) throw new Error("This browser cannot record WebM.");
    this.pieces = [];
    this.recorder = new MediaRecorder(this.canvas.captureStream(30), {
      mimeType: type,
      videoBitsPerSecond: 8e6,
    });
    this.recorder.addEventListener("dataavailable", (e) => this.pieces.push(e.data));
    this.recorder.start();
  }

  /** Ends the film and returns it. */
  stop(): Promise<Blob> {
    return new Promise((resolve, reject) => {
      const recorder = this.recorder;
      if (!recorder) return reject(new Error("Nothing is being recorded."));
      recorder.addEventListener("stop", () =>
        resolve(new Blob(this.pieces, { type: "video/webm" })),
      );
      recorder.stop();
      this.recorder = undefined;
    });
  }
}
