"""The paper: TeX sources whose every number, table and figure is generated from estimates."""
