// Scales an image that no model takes, such as a photo of a phone, before it is uploaded. Any other file stays as it is.

/** Limits of the server (attachments/schema.ts). */
const IMAGE_BYTES_MAX = 3_932_160;
const SIDE_PIXELS_MAX = 8_000;
/** Models scale larger images down themselves. */
const SCALED_SIDE_PIXELS = 2_048;
const QUALITY = 0.85;

export async function scaled(file: File): Promise<File> {
  if (!/^image\/(?:png|jpeg|webp)$/.test(file.type)) return file;
  const image = await createImageBitmap(file).catch(() => undefined);
  if (!image) return file;
  const side = Math.max(image.width, image.height);
  const fits = file.size <= IMAGE_BYTES_MAX && side <= SIDE_PIXELS_MAX;
  const small = fits ? undefined : await smaller(image, Math.min(1, SCALED_SIDE_PIXELS / side));
  image.close();
  return small ? new File([small], file.name.replace(/\.\w+$/, "") + ".jpg", { type: small.type }) : file;
}

async function smaller(image: ImageBitmap, scale: number): Promise<Blob | undefined> {
  const canvas = new OffscreenCanvas(Math.round(image.width * scale), Math.round(image.height * scale));
  const context = canvas.getContext("2d");
  if (!context) return undefined;
  // JPEG has no transparency.
  context.fillStyle = "white";
  context.fillRect(0, 0, canvas.width, canvas.height);
  context.drawImage(image, 0, 0, canvas.width, canvas.height);
  return canvas.convertToBlob({ type: "image/jpeg", quality: QUALITY });
}
