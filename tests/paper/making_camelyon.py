"""CAMELYON16 and 17 in small: the real folders and sheets, slides of 512 pixels."""

from tests.pipelines.slides.making import Drawing, write_model, write_slide

TISSUE = (0, 0, 512)
LESION = ((128, 128, 256),)


def write_node(path, sick, seed):
    drawing = Drawing(edge=512, tissue=TISSUE, lesions=LESION if sick else ())
    write_slide(path, drawing, levels=2, seed=seed, compression=None)


def write_sixteen(folder, n_each=6):
    """CAMELYON16: normal and tumor slides to train, test slides with a reference."""
    for i in range(1, n_each + 1):
        write_node(folder / f"training/normal/normal_{i:03d}.tif", sick=False, seed=i)
        write_node(folder / f"training/tumor/tumor_{i:03d}.tif", sick=True, seed=i + 100)
    rows = []
    for i in range(1, 5):
        sick = i % 2 == 0
        write_node(folder / f"testing/images/test_{i:03d}.tif", sick=sick, seed=i + 200)
        rows.append(
            f"test_{i:03d},{'Tumor' if sick else 'Normal'},IDC,{'Macro' if sick else 'None'}"
        )
    (folder / "testing" / "reference.csv").write_text("\n".join(rows) + "\n")


def write_seventeen(folder, patients_a_centre=4, nodes=2):
    """CAMELYON17: five centres, several nodes a patient, one sheet of stages."""
    rows = ["patient,stage"]
    for centre in range(5):
        for i in range(patients_a_centre):
            number = 20 * centre + i
            stages = ["negative"] * nodes
            stages[-1] = ("negative", "macro", "itc", "micro")[i % 4]
            rows.append(f"patient_{number:03d}.zip,{'pN1' if i % 2 else 'pN0'}")
            for node, stage in enumerate(stages):
                name = f"patient_{number:03d}_node_{node}.tif"
                path = folder / f"training/center_{centre}" / name
                write_node(path, sick=stage in {"micro", "macro"}, seed=10 * number + node)
                rows.append(f"{name},{stage}")
    (folder / "training" / "stage_labels.csv").write_text("\n".join(rows) + "\n")


def write_camelyon(folder):
    write_sixteen(folder / "CAMELYON16")
    write_seventeen(folder / "CAMELYON17")
    write_model(folder / "model.onnx")
    return folder
