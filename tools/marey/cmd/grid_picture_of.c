/* grid_picture_of.c - from a comparison to marey_grid_picture_save. */
#include "grid_picture_of.h"

#include <string.h>
#include <strings.h>

bool is_picture(const char *path)
{
    static const char *const endings[] = { ".png", ".svg", ".pdf" };
    size_t length = strlen(path);
    for (size_t i = 0; i < sizeof endings / sizeof *endings; i++) {
        if (length > 4 && strcasecmp(path + length - 4, endings[i]) == 0) return true;
    }
    return false;
}

marey_status grid_picture_of(const comparison *all, const marey_grid *grid,
                             const marey_grid_picture_def *def, const char *path,
                             marey_error *error)
{
    marey_grid_side sides[2];
    for (int s = 0; s < 2; s++) {
        sides[s] = (marey_grid_side){ .features = all->features[s],
                                      .clip = all->clips[s],
                                      .first_frame = comparison_frame(all, s, 0),
                                      .shown_fps = marey_clip_fps(comparison_own(all, s)) };
    }
    return marey_grid_picture_save(grid, &sides[0], &sides[1], def, path, error);
}
